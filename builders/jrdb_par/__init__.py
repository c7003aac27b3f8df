"""Panoramic activity recognition: candidates, rules and the recipe of JRDB-PAR."""
