"""`headwater bench smile`: nine relations of tweets, 25 views, and the experiments of the SMILE paper."""
