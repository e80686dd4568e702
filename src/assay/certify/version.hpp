#pragma once

namespace assay::certify {

/// The version that is written. What a field of a version says never changes: a verifier derives each as its version had it.
inline constexpr int kCertificateVersion = 2;

/// Read as well. Its bounds of the failure rate counted every checked call in the raw samples, those on repeated and
/// perturbed inputs too, where the decision counts the ones on new inputs.
inline constexpr int kFirstCertificateVersion = 1;

}  // namespace assay::certify
