//! One Unitree G1: device state in, skills offered as an action, limited device commands out.
