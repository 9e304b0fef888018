"""NIST Statistical Reference Datasets, linear least squares: data and certified values.

https://www.itl.nist.gov/div898/strd/lls/lls.shtml (a work of the US government, public domain).
Longley ships with statsmodels; Wampler is a formula; Filip is written out here.
"""

from dataclasses import dataclass

import numpy as np
from statsmodels.datasets import longley


@dataclass(frozen=True)
class Certified:
    """A data set with its certified coefficients, their standard deviations and the residual SS."""

    design: np.ndarray
    outcome: np.ndarray
    coefficients: np.ndarray
    deviations: np.ndarray
    residual_squares: float


def read_longley():
    data = longley.load().data
    columns = ["GNPDEFL", "GNP", "UNEMP", "ARMED", "POP", "YEAR"]
    return Certified(
        np.column_stack([np.ones(len(data)), data[columns].to_numpy(float)]),
        data["TOTEMP"].to_numpy(float),
        np.array(
            [
                *(-3482258.63459582, 15.0618722713733, -0.358191792925910e-01),
                *(-2.02022980381683, -1.03322686717359, -0.511041056535807e-01, 1829.15146461355),
            ]
        ),
        np.array(
            [
                *(890420.383607373, 84.9149257747669, 0.334910077722432e-01),
                *(0.488399681651699, 0.214274163161675, 0.226073200069370, 455.478499142212),
            ]
        ),
        836424.055505915,
    )


#: What Wampler3 adds to the polynomial; Wampler4 adds it 100 times and Wampler5 10000 times.
_WAMPLER_NOISE = np.array(
    [
        *(759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048),
        *(-2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759),
    ],
    float,
)
_WAMPLER3_DEVIATIONS = np.array(
    [
        *(2152.32624678170, 2363.55173469681, 779.343524331583),
        *(101.475507550350, 5.64566512170752, 0.112324854679312),
    ]
)
_WAMPLER3_RESIDUAL_SQUARES = 83554268.0


def read_wampler(number):
    """Wampler1 to Wampler5: a polynomial of degree 5 at 0, 1, …, 20."""
    powers = np.vander(np.arange(21.0), 6, increasing=True)
    if number == 2:
        coefficients = 0.1 ** np.arange(6)
        # The outcome is given with five decimals, which are exact here.
        return Certified(powers, np.round(powers @ coefficients, 5), coefficients, np.zeros(6), 0.0)
    noise = {1: 0.0, 3: 1.0, 4: 1e2, 5: 1e4}[number]
    return Certified(
        powers,
        powers.sum(axis=1) + noise * _WAMPLER_NOISE,
        np.ones(6),
        noise * _WAMPLER3_DEVIATIONS,
        noise**2 * _WAMPLER3_RESIDUAL_SQUARES,
    )


_FILIP_Y = """
0.8116 0.9072 0.9052 0.9039 0.8053 0.8377 0.8667 0.8809 0.7975 0.8162 0.8515 0.8766 0.8885 0.8859
0.8959 0.8913 0.8959 0.8971 0.9021 0.9090 0.9139 0.9199 0.8692 0.8872 0.8900 0.8910 0.8977 0.9035
0.9078 0.7675 0.7705 0.7713 0.7736 0.7775 0.7841 0.7971 0.8329 0.8641 0.8804 0.7668 0.7633 0.7678
0.7697 0.7700 0.7749 0.7796 0.7897 0.8131 0.8498 0.8741 0.8061 0.8460 0.8751 0.8856 0.8919 0.8934
0.8940 0.8957 0.9047 0.9129 0.9209 0.9219 0.7739 0.7681 0.7665 0.7703 0.7702 0.7761 0.7809 0.7961
0.8253 0.8602 0.8809 0.8301 0.8664 0.8834 0.8898 0.8964 0.8963 0.9074 0.9119 0.9228
"""
_FILIP_X = """
-6.860120914 -4.324130045 -4.358625055 -4.358426747 -6.955852379 -6.661145254 -6.355462942
-6.118102026 -7.115148017 -6.815308569 -6.519993057 -6.204119983 -5.853871964 -6.109523091
-5.79832982 -5.482672118 -5.171791386 -4.851705903 -4.517126416 -4.143573228 -3.709075441
-3.499489089 -6.300769497 -5.953504836 -5.642065153 -5.031376979 -4.680685696 -4.329846955
-3.928486195 -8.56735134 -8.363211311 -8.107682739 -7.823908741 -7.522878745 -7.218819279
-6.920818754 -6.628932138 -6.323946875 -5.991399828 -8.781464495 -8.663140179 -8.473531488
-8.247337057 -7.971428747 -7.676129393 -7.352812702 -7.072065318 -6.774174009 -6.478861916
-6.159517513 -6.835647144 -6.53165267 -6.224098421 -5.910094889 -5.598599459 -5.290645224
-4.974284616 -4.64454848 -4.290560426 -3.885055584 -3.408378962 -3.13200249 -8.726767166
-8.66695597 -8.511026475 -8.165388579 -7.886056648 -7.588043762 -7.283412422 -6.995678626
-6.691862621 -6.392544977 -6.067374056 -6.684029655 -6.378719832 -6.065855188 -5.752272167
-5.132414673 -4.811352704 -4.098269308 -3.66174277 -3.2644011
"""


def read_filip():
    """A polynomial of degree 10, scaled condition 5e9."""
    x = np.array(_FILIP_X.split(), float)
    return Certified(
        np.vander(x, 11, increasing=True),
        np.array(_FILIP_Y.split(), float),
        np.array(
            [
                *(-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372),
                *(-354.478233703349, -75.1242017393757, -10.8753180355343, -1.06221498588947),
                *(-0.670191154593408e-01, -0.246781078275479e-02, -0.402962525080404e-04),
            ]
        ),
        np.array(
            [
                *(298.084530995537, 559.779865474950, 466.477572127796, 227.204274477751),
                *(71.6478660875927, 15.2897178747400, 2.23691159816033, 0.221624321934227),
                *(0.142363763154724e-01, 0.535617408889821e-03, 0.896632837373868e-05),
            ]
        ),
        0.795851382172941e-03,
    )
