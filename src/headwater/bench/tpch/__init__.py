"""`headwater bench tpch`: the 22 queries of TPC-H as views, kept through its refresh functions."""
