//! AMDGPU code objects: ELF, target IDs, metadata, kernel descriptors
