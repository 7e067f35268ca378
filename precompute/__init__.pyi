from .crew import LocalCrew as LocalCrew
from .job import Job as Job, Report as Report
from .plan import plan_roots as plan_roots
from .watch import JobWatch as JobWatch
