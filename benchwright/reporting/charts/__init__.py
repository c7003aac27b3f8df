"""Charts as drawings: each function takes numbers and gives shapes on a grid 520 units wide."""
