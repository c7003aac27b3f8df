"""`python -m benchwright`."""

from benchwright.cli.main import main

main()
