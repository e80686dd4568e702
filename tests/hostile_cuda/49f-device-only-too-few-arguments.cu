// assay-corpus: number=49 kind=hostile expect=not_built probe=load plan=49f-device-only-too-few-arguments.launch.json
// Its plan gives fewer arguments than the kernel has parameters: the driver would read what lies behind them.
#include "gdn_kernels.cuh"

GDN_DECODE { gdn::compute_part(GDN_PROBLEM); }
