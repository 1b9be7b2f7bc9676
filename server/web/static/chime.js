// A chime and a buzz when it is one's turn; off until somebody turns them on, and kept so.

const KEPT = "cornet-chime";
let context = null;
let on = false;
try { on = localStorage.getItem(KEPT) === "on"; } catch { /* A browser that keeps no cookies keeps nothing else. */ }

export const isOn = () => on;

// To be called from a tap: a phone lets sound begin in no other way.
export function turn(now) {
  on = now;
  try { localStorage.setItem(KEPT, on ? "on" : "off"); } catch { /* Then it holds for as long as the page. */ }
  if (on) chime();
}

export function chime() {
  if (!isOn()) return;
  context ??= new AudioContext();
  context.resume();
  [523.25, 783.99].forEach((pitch_hz, place) => note(pitch_hz, context.currentTime + 0.16 * place));
  navigator.vibrate?.([80, 60, 80]);
}

function note(pitch_hz, at_s) {
  const gain = new GainNode(context, { gain: 0 });
  const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch_hz });
  gain.gain.setValueAtTime(0, at_s);
  gain.gain.linearRampToValueAtTime(0.25, at_s + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.001, at_s + 0.5);
  tone.connect(gain).connect(context.destination);
  tone.start(at_s);
  tone.stop(at_s + 0.55);
}
