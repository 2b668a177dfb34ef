//! Seeds on the command line: `3`, `1,4,9`, `0..19` (both ends included), or a mix with commas.

/// Parses a list of seeds.
///
/// # Errors
/// Text that names the part that does not fit and what is allowed.
pub fn parse(text: &str) -> Result<Vec<u64>, String> {
    let mut seeds = Vec::new();
    for part in text.split(',') {
        let bad = || format!("seeds `{part}` do not fit; allowed: a number, or FIRST..LAST with FIRST ≤ LAST and at most 100000 seeds");
        match part.split_once("..") {
            None => seeds.push(part.trim().parse().map_err(|_| bad())?),
            Some((first, last)) => {
                let first: u64 = first.trim().parse().map_err(|_| bad())?;
                let last: u64 = last.trim().parse().map_err(|_| bad())?;
                if first > last || last - first >= 100_000 {
                    return Err(bad());
                }
                seeds.extend(first..=last);
            }
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(parse("0..3").unwrap(), [0, 1, 2, 3]);
        assert_eq!(parse("7,1..2,7").unwrap(), [1, 2, 7]);
    }

    #[test]
    fn bad_seeds_are_named() {
        for bad in ["", "a", "3..1", "1..", "0..99999999999"] {
            assert!(parse(bad).unwrap_err().contains("allowed"), "{bad}");
        }
    }
}
