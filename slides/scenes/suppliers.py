"""What scenes draw and slides cannot know: who joins the rooms names the module that has it.

Nothing is imported here, so that naming it costs a start nothing.
"""

SCHEDULES = "schedules of pipelines"

modules: dict[str, str] = {}
"""What is brought, and the module that has it."""
