"""Text to words and trees: the dialect, the one parser, our lexer; names, types and intervals."""
