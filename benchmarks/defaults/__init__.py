"""The default against the best method in hindsight, over many data sets, mechanisms and epsilons."""
