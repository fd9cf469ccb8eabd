SELECT "yess" FROM kinds
