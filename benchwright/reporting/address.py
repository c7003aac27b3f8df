"""Where the row of a sample is on the page of a report."""

from __future__ import annotations

from urllib.parse import quote

from schemas.errors import UsageError
from schemas.paths import home_filled, real_path

_KEPT = "!*'()~"  # as encodeURIComponent of a browser does


def row_address(page: str, sample: str) -> str:
    """The address of a row: that of a page, or the file of one, and behind it the name of the sample.

    Args:
        page: a path, or an address with its scheme.
        sample: its name.

    Raises:
        UsageError: there is no such file.

    >>> row_address("https://example.org/report.html", "a b/1")
    'https://example.org/report.html#row=a%20b%2F1'
    """
    if "://" not in page:
        path = home_filled(page)
        if not path.is_file():
            raise UsageError(f"{page}: no such page; `benchwright report` writes one")
        page = real_path(path).as_uri()
    return f"{page}#row={quote(sample, safe=_KEPT)}"
