"""Products of K small matrices, one for each document.

Arrays have the shape (K, p, p). Where p is small they are stored by columns, so the documents are
contiguous and a product is p³ sums over them; where p is large they are stored by rows, so each
matrix is contiguous and a product is a call of BLAS. Every function here takes either, and the
values do not depend on it but for rounding.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ragstats.core.segments import SMALL, Floats, empty


def multiply(left: Floats, right: Floats, *, out: Floats | None = None) -> Floats:
    """Return the K products of two matrices, (K, p, q) and (K, q, r)."""
    if right.shape[2] > SMALL:
        return np.matmul(np.ascontiguousarray(left), np.ascontiguousarray(right), out=out)
    product = empty(len(left), left.shape[1], right.shape[2]) if out is None else out
    return np.asarray(np.einsum("kij,kjl->kil", left, right, out=product))


def apply(matrices: Floats, vectors: Floats) -> Floats:
    """Return the (K, p) products of K matrices and K vectors, or one vector for all."""
    if vectors.ndim == 1:
        return np.asarray(np.einsum("kij,j->ki", matrices, vectors))
    return np.asarray(np.einsum("kij,kj->ki", matrices, vectors))


def turn(matrices: Floats, basis: Floats) -> Floats:
    """Return ``basis' M_k basis`` for K symmetric matrices (K, p, p) and a basis (p, r)."""
    n_groups, p, _ = matrices.shape
    r = basis.shape[1]
    if max(p, r) > SMALL:
        return np.asarray(basis.T @ np.ascontiguousarray(matrices) @ basis)
    turned = np.kron(basis, basis).T @ _flat(matrices).T
    return turned.T.reshape(n_groups, r, r, order="F")


def quadratic(matrices: Floats, contrasts: Floats) -> Floats:
    """Return ``c' M_k c`` for K symmetric matrices (K, p, p) and q contrasts (q, p): (q, K)."""
    outer = np.einsum("qi,qj->qij", contrasts, contrasts)
    return np.asarray(outer.reshape(len(contrasts), -1) @ _flat(matrices).T)


def _flat(matrices: Floats) -> Floats:
    """Return symmetric matrices as rows (K, p²), without a copy."""
    order: Literal["F", "C"] = "F" if matrices.flags.f_contiguous else "C"
    return matrices.reshape(len(matrices), -1, order=order)


def images(matrices: Floats, contrasts: Floats) -> Floats:
    """Return ``M_k c`` for K matrices (K, r, p) and q contrasts (q, p): (q, r, K)."""
    return np.asarray(np.matmul(contrasts, matrices.transpose(1, 2, 0)).transpose(1, 0, 2))
