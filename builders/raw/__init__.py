"""One parser per raw format. A parser knows no benchmark; every problem names file, record, field, found, expected."""
