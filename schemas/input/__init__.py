"""Reading untrusted files: every problem names file, record, field, what was found and what was expected."""
