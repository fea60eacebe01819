"""Pictures of estimates, answers, differences and trends, with matplotlib: one file per kind."""

from sottovoce.answers.show import declare_renderer

declare_renderer("estimate", "sottovoce.plots.estimate", "draw_estimate")
declare_renderer("difference", "sottovoce.plots.difference", "draw_difference")
declare_renderer("trend", "sottovoce.plots.trend", "draw_trend")
declare_renderer("table", "sottovoce.plots.table", "draw_table")
