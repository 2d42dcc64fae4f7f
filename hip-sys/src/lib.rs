//! HIP ABI: types, values and prototypes
