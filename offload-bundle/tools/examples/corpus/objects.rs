//! Reading everything of one code object, and holding its parts against each other.

use amd_codeobj::{CodeObject, Error, Kernel, ObjectKind, TargetId};

use crate::tally::Tally;

/// Reads a code object from end to end. What is wrong goes into `faults`.
pub fn check(bytes: &[u8], tally: &mut Tally, faults: &mut Vec<String>) -> Option<TargetId> {
    let object = match CodeObject::parse(bytes) {
        Ok(object) => object,
        Err(error) => {
            faults.push(error.to_string());
            return None;
        }
    };
    let target = object.target_id();
    let name = target.as_ref().map_or_else(|_| object.mach().to_string(), ToString::to_string);
    *tally.objects.entry(name).or_default() += 1;
    *tally.versions.entry(object.version()).or_default() += 1;
    let mut checks: Vec<Result<(), Error>> = vec![
        object.isa().map(drop),
        header(&object),
        tables(&object),
        symbols(&object, tally),
        relocations(&object, tally),
        object.lines().map(drop),
    ];
    // The metadata of v2 is text, which is not interpreted.
    match object.version() {
        2 => checks.extend([object.metadata_yaml().map(drop), old_kernels(&object, tally)]),
        _ => checks.push(kernels(&object, tally, faults)),
    }
    faults.extend(checks.into_iter().filter_map(Result::err).map(|error| error.to_string()));
    target.map_err(|error| faults.push(error.to_string())).ok()
}

fn header(object: &CodeObject<'_>) -> Result<(), Error> {
    let _ = (object.kind(), object.flags(), object.generic_version(), object.file_size());
    for segment in object.segments() {
        object.read("first byte of a segment", segment.vaddr, u64::from(!segment.data.is_empty()))?;
    }
    Ok(())
}

fn tables(object: &CodeObject<'_>) -> Result<(), Error> {
    for section in object.sections() {
        section?;
    }
    for note in object.notes() {
        note?;
    }
    Ok(())
}

/// Every symbol; each name is found through the hash table.
fn symbols(object: &CodeObject<'_>, tally: &mut Tally) -> Result<(), Error> {
    for symbol in object.symbols()? {
        let symbol = symbol?;
        tally.symbols += 1;
        let is_global = symbol.binding != amd_codeobj::Binding::LOCAL;
        if is_global && !symbol.name.is_empty() {
            object.symbol(symbol.name)?;
        }
    }
    for symbol in object.all_symbols()? {
        symbol?;
    }
    Ok(())
}

fn relocations(object: &CodeObject<'_>, tally: &mut Tally) -> Result<(), Error> {
    for relocation in object.relocations()? {
        let relocation = relocation?;
        tally.relocations += 1;
        object.symbol_by_index(relocation.symbol)?;
    }
    for section in object.relocation_sections() {
        let section = section?;
        for relocation in section.relocations()? {
            section.symbol(relocation?.symbol)?;
        }
    }
    Ok(())
}

fn old_kernels(object: &CodeObject<'_>, tally: &mut Tally) -> Result<(), Error> {
    for symbol in object.symbols()? {
        tally.kernels += usize::from(object.kernel_code(&symbol?)?.is_some());
    }
    Ok(())
}

fn kernels(object: &CodeObject<'_>, tally: &mut Tally, faults: &mut Vec<String>) -> Result<(), Error> {
    object.metadata_yaml()?;
    let metadata = object.metadata()?;
    for kernel in &metadata.kernels {
        tally.kernels += 1;
        tally.arguments += kernel.args.len();
        if metadata.kernel(&kernel.name).is_none() {
            faults.push(format!("{} is not found by its name", kernel.name));
        }
        if let Err(why) = descriptor(object, kernel, tally) {
            faults.push(format!("{}: {why}", kernel.name));
        }
    }
    Ok(())
}

/// The descriptor makes sense, and agrees with the metadata.
fn descriptor(object: &CodeObject<'_>, kernel: &Kernel, tally: &mut Tally) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let generation = object.isa().map_err(text)?.generation;
    let symbol = object.symbol(&kernel.symbol).map_err(text)?;
    let descriptor = object.kernel_descriptor(&symbol).map_err(text)?;
    descriptor.check(generation).map_err(text)?;
    if descriptor.unknown_bits(generation).next().is_some() {
        tally.odd("descriptors with bits that no field of the generation has");
    }
    let occupancy = generation.occupancy(&kernel.resources());
    if occupancy.waves == 0 || occupancy.waves > occupancy.max_waves {
        return Err(format!("occupancy {occupancy:?}"));
    }
    let fields = [
        ("group_segment_fixed_size", descriptor.group_segment_fixed_size, kernel.group_segment_fixed_size),
        (
            "private_segment_fixed_size",
            descriptor.private_segment_fixed_size,
            kernel.private_segment_fixed_size,
        ),
    ];
    for (field, ours, theirs) in fields {
        if ours != theirs {
            return Err(format!("{field} is {ours} in the descriptor, {theirs} in the metadata"));
        }
    }
    if object.kind() == ObjectKind::RELOCATABLE {
        return Ok(());
    }
    let entry = descriptor.entry(symbol.value).ok_or("the entry is past the last address")?;
    let segment = object.segment_at(entry).ok_or_else(|| format!("entry {entry:#x} is in no segment"))?;
    if !segment.flags.is_executable() {
        return Err(format!("entry {entry:#x} is in a segment without the right to execute"));
    }
    Ok(())
}
