"""Data, no code: `cards/<name>.toml` describe the benchmarks; builds write their manifests beside them."""
