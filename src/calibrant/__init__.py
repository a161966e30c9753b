"""When a model says 84%, is it right 84% of the time?"""
