"""One file per metric family: pure functions over arrays, and what all of them share."""
