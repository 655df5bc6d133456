"""Nine relations of tweets, 25 views, and the project that keeps them."""
