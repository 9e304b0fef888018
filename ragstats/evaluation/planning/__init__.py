"""Planning: how many documents, of which strata, and with how many queries and judgements each."""

from .allocation_plan import AllocationPlan
from .budget import split_budget
from .budget_plan import BudgetPlan
from .components import variance_components
from .components_result import VarianceComponents
from .documents import plan_comparison, plan_documents
from .options import plan_from_options
from .plan import DocumentPlan
from .stratified import allocate_documents

__all__ = [
    "AllocationPlan",
    "BudgetPlan",
    "DocumentPlan",
    "VarianceComponents",
    "allocate_documents",
    "plan_comparison",
    "plan_documents",
    "plan_from_options",
    "split_budget",
    "variance_components",
]
