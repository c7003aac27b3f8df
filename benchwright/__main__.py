"""`python -m benchwright`."""

from benchwright.cli import main

main()
