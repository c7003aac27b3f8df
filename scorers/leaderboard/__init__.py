"""Several runs on the same rows: ranked, with what the data can tell apart, and as papers print them."""
