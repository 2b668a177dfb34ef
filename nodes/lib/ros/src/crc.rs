//! The vendor's checksum over `LowCmd` and `LowState`, in the layout of its C structs.
//!
//! CRC-32 with polynomial 0x04C11DB7 over the little-endian 32-bit words before `crc`; bytes that only
//! pad the struct count as 0.

use crc::{CRC_32_MPEG_2, Crc, Table};
use r2r::unitree_hg::msg::{LowCmd, LowState};

/// Sixteen bytes at a time: each tick pays for six of these checksums.
const VENDOR: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_MPEG_2);

/// Words of a [`LowState`].
const STATE_WORDS: usize = 522;

/// What the checksum covers, most significant byte of each word first.
struct Words(Vec<u8>);

impl Words {
    fn new() -> Self {
        Self(Vec::with_capacity(4 * STATE_WORDS))
    }

    fn word(&mut self, word: u32) {
        self.0.extend(word.to_be_bytes());
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|w| self.word(*w));
    }

    fn checksum(&self) -> u32 {
        VENDOR.checksum(&self.0)
    }

    fn float(&mut self, value: f32) {
        self.word(value.to_bits());
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|v| self.float(*v));
    }
}

/// Checksum of a command; its own `crc` does not count.
#[must_use]
pub fn of_command(message: &LowCmd) -> u32 {
    let mut crc = Words::new();
    crc.word(u32::from_le_bytes([message.mode_pr, message.mode_machine, 0, 0]));
    for motor in &message.motor_cmd {
        crc.word(u32::from(motor.mode));
        crc.floats(&[motor.q, motor.dq, motor.tau, motor.kp, motor.kd]);
        crc.word(motor.reserve);
    }
    crc.words(&message.reserve);
    crc.checksum()
}

/// Checksum of a state; its own `crc` does not count.
#[must_use]
pub fn of_state(message: &LowState) -> u32 {
    let mut crc = Words::new();
    crc.words(&message.version);
    crc.word(u32::from_le_bytes([message.mode_pr, message.mode_machine, 0, 0]));
    crc.word(message.tick);
    let imu = &message.imu_state;
    crc.floats(&imu.quaternion);
    crc.floats(&imu.gyroscope);
    crc.floats(&imu.accelerometer);
    crc.floats(&imu.rpy);
    crc.word(u32::from(imu.temperature as u16));
    for motor in &message.motor_state {
        crc.word(u32::from(motor.mode));
        crc.floats(&[motor.q, motor.dq, motor.ddq, motor.tau_est]);
        let temperature = |i: usize| u32::from(motor.temperature.get(i).copied().unwrap_or_default() as u16);
        crc.word(temperature(0) | temperature(1) << 16);
        crc.float(motor.vol);
        crc.words(&motor.sensor);
        crc.word(motor.motorstate);
        crc.words(&motor.reserve);
    }
    for bytes in message.wireless_remote.chunks(4) {
        let byte = |i: usize| bytes.get(i).copied().unwrap_or_default();
        crc.word(u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]));
    }
    crc.words(&message.reserve);
    crc.checksum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use troupe_core::device::crc32_words;

    proptest! {
        #[test]
        fn the_library_agrees_with_the_bitwise_definition(words in prop::collection::vec(any::<u32>(), 0..64)) {
            let mut crc = Words::new();
            crc.words(&words);
            prop_assert_eq!(crc.checksum(), crc32_words(&words));
        }

        #[test]
        fn every_bit_of_a_command_counts(motor in 0_usize..35, bit in 0_u32..32, field in 0_usize..6) {
            let clean = LowCmd::default();
            let mut flipped = clean.clone();
            let m = &mut flipped.motor_cmd[motor];
            let flip = |v: &mut f32| *v = f32::from_bits(v.to_bits() ^ (1 << bit));
            match field { 0 => flip(&mut m.q), 1 => flip(&mut m.dq), 2 => flip(&mut m.tau), 3 => flip(&mut m.kp), 4 => flip(&mut m.kd), _ => m.reserve ^= 1 << bit }
            prop_assert_ne!(of_command(&flipped), of_command(&clean));
        }
    }

    #[test]
    fn a_command_is_250_words_and_a_state_522() {
        let words = |n: usize| crc32_words(&vec![0; n]);
        assert_eq!(of_command(&LowCmd::default()), words(1 + 35 * 7 + 4));
        assert_eq!(of_state(&LowState::default()), words(2 + 1 + 1 + 14 + 35 * 14 + 10 + 4));
        assert_eq!(2 + 1 + 1 + 14 + 35 * 14 + 10 + 4, STATE_WORDS);
    }
}
