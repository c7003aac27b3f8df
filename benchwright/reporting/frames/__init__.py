"""Numbers and pictures of images: what templates in `content` put in words."""
