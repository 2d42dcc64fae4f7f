//! Page table and pool, without a device.

use std::sync::Arc;

use super::*;

fn object(pool: &Arc<Pool>, handle: u64, va: u64, size: u64, write: bool) -> Mapping {
    let extent = pool.allocate(size).unwrap();
    let rights = Rights { write, ..Rights::default() };
    let host = extent.host();
    let object = MemoryObject { handle, va, size, rights, backing: Backing::Extent(extent), mmap_offset: 0 };
    Mapping { va, len: size, host, rights, object: Arc::new(object) }
}

#[test]
fn ranges_do_not_overlap_and_keep_their_rights() {
    let pool = Pool::new(c"test", 1 << 30, 1 << 30).unwrap();
    let vm = Vm::default();
    assert!(vm.map(object(&pool, 1, 0x10000, 0x2000, true)));
    assert!(vm.map(object(&pool, 2, 0x12000, 0x1000, false)));
    assert!(!vm.map(object(&pool, 3, 0x11000, 0x1000, true)), "overlap from above");
    assert!(!vm.map(object(&pool, 3, 0xf000, 0x2000, true)), "overlap from below");
    let table = vm.table();
    assert!(table.find(0xffff).is_none());
    assert_eq!(table.find(0x11fff).unwrap().object.handle, 1);
    assert_eq!(table.find(0x12000).unwrap().object.handle, 2);
    assert!(table.find(0x13000).is_none());

    table.store_u64(0x11ff8, 7).unwrap();
    assert_eq!(table.fetch_sub_i64(0x11ff8, 1), Ok(7));
    assert_eq!(table.load_u64(0x11ff8), Ok(6));
    assert_eq!(table.store_u64(0x12000, 1), Err(Fault { va: 0x12000, kind: FaultKind::ReadOnly }));
    assert_eq!(table.load_u32(0x12002), Err(Fault { va: 0x12002, kind: FaultKind::Misaligned }));
    let mut bytes = [0; 0x1010];
    table.read(0x11000, &mut bytes).unwrap();
    assert_eq!(bytes[0xff8], 6);
    assert_eq!(table.read(0x12ff8, &mut bytes), Err(Fault { va: 0x13000, kind: FaultKind::NotPresent }));
    assert_eq!(table.read(u64::MAX, &mut bytes).unwrap_err().kind, FaultKind::NotPresent);
}

#[test]
fn a_reader_keeps_the_memory_of_the_table_it_holds() {
    let pool = Pool::new(c"test", 1 << 24, 1 << 24).unwrap();
    let vm = Vm::default();
    assert!(vm.map(object(&pool, 1, 0x10000, 0x1000, true)));
    let old = vm.table();
    let entry = Arc::clone(&old.find(0x10000).unwrap().object);
    assert!(vm.unmap(&entry));
    assert!(!vm.unmap(&entry));
    assert!(vm.table().find(0x10000).is_none());
    old.store_u64(0x10000, 5).unwrap();
    assert_eq!(old.load_u32(0x10000), Ok(5));
    assert_eq!(pool.available(), (1 << 24) - 0x1000);
    drop((old, entry));
    assert_eq!(pool.available(), 1 << 24);
}

#[test]
fn freed_memory_joins_and_reads_as_zero() {
    let pool = Pool::new(c"test", 1 << 24, 1 << 24).unwrap();
    let parts: Vec<_> = (0..16).map(|_| pool.allocate(1 << 20).unwrap()).collect();
    assert_eq!(pool.allocate(1).unwrap_err(), kfd_sys::Errno::ENOMEM);
    drop(parts);
    let whole = pool.allocate(1 << 24).unwrap();
    assert_eq!((whole.offset(), whole.bytes()), (0, 1 << 24));
}
