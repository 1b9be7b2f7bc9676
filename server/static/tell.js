// One sentence for each entry of a game's log.

const points = (number) => `${number} ${number === 1 ? "point" : "points"}`;

const fiches = (number) => `${number} ${number === 1 ? "fiche" : "fiches"}`;

const SENTENCES = {
  game: (e) => `Game ${e.game}: ${e.banker} keeps the bank, ${e.first} begins.`,
  bet: (e) => `${e.player} stakes ${e.chips}.`,
  call: (e) => `${e.player} names the ${e.face}.`,
  number: (e) => `${e.player}'s number is the ${e.face}, credited with ${e.count}.`,
  throw: (e) => {
    if (e.combination) return `${e.player}, throw ${e.throw}: ${e.combination}, worth ${fiches(e.fiches)}.`;
    if (e.dice) return `${e.player} throws ${e.dice.join(" ")}: ${e.points ? `${points(e.points)} lie there` : "nothing scores"}.`;
    return `${e.player}, throw ${e.throw}: ${e.hits}, ${e.total} in all.`;
  },
  win: (e) => e.by ? `${e.player} wins ${e.by === "five_ones" ? "with five ones" : `with ${e.score}`}.` : `${e.player} wins with ${e.total} at ${e.odds} to 1: ${e.paid} paid${e.paid < e.due ? ` of ${e.due} due` : ""}${e.returned ? `, the stake of ${e.returned} back` : ""}.`,
  lose: (e) => `${e.player} loses the stake of ${e.stake} with ${e.total}.`,
  out_of_chips: (e) => `${e.player} has no chips left.`,
  bank_broken: (e) => `The bank of ${e.banker} is broken; ${e.next} begins the next game.`,
  game_end: (e) => `Game ${e.game} ends${e.complete ? "" : " early"}.`,
  keep: (e) => `${e.player} sets aside ${e.dice.join(" ")}${e.turn_points === undefined ? "" : `: ${points(e.turn_points)} in this turn`}.`,
  sum: (e) => `${e.player} has a sum of ${e.sum}.`,
  loss: (e) => `${e.player} loses ${points(e.points)}, ${e.life} left.`,
  attack: (e) => `${e.player} attacks with the ${e.face}.`,
  attack_throw: (e) => `${e.player} hits ${e.hits === 0 ? "nothing" : e.hits === 1 ? "once" : `${e.hits} times`}.`,
  attack_total: (e) => `The attack is worth ${points(e.points)}.`,
  damage: (e) => `${e.player} loses ${points(e.points)} to ${e.by}, ${e.life} left.`,
  out: (e) => `${e.player} is out.`,
  manche: (e) => `Manche ${e.manche}: ${fiches(e.pot)} in the pot, ${e.leader} leads.`,
  cow_tail: (e) => `Cow tail: ${e.player} takes ${fiches(e.fiches)} from the new pot.`,
  le_bon: (e) => `${e.player}: “le bon”.`,
  rampeau: (e) => `Rampeau between ${e.players.join(", ")}.`,
  rampeau_throw: (e) => `${e.player} throws ${e.combination} in the rampeau.`,
  take: (e) => `${e.player} takes ${fiches(e.fiches)}${e.winner ? `; ${e.winner} was best with ${e.combination}` : ""}.`,
  give: (e) => `${e.player} gives ${fiches(e.fiches)} to ${e.to} with ${e.combination}.`,
  withdraw: (e) => `${e.player} withdraws.`,
  opener: (e) => `${e.player} opens.`,
  manche_lost: (e) => `${e.player} loses manche ${e.manche}.`,
  second_try: (e) => `${e.player} may throw again.`,
  dump_truck: (e) => `Dump truck: ${e.player} goes to zero.`,
  bust: (e) => `${e.player} goes too far and writes nothing.`,
  bust_zero: (e) => `${e.player} has gone too far too often: back to zero.`,
  bust_fine: (e) => `${e.player} pays ${points(e.points)} for going too far.`,
  lost: (e) => `${e.player} loses the turn${e.points ? ` and its ${points(e.points)}` : ""}.`,
  bolt: (e) => `A bolt for ${e.player}, number ${e.bolts}.`,
  bolt_fine: (e) => `${e.player} pays ${points(e.points)} for the bolts.`,
  attempt: (e) => `${e.player}: attempt ${e.attempts} on the barrel failed.`,
  fall: (e) => `${e.player} falls off the barrel to ${e.score}.`,
  bank: (e) => `${e.player} writes ${points(e.points)}: ${e.score}.`,
  enter: (e) => `${e.player} is in.`,
  final_barrel: (e) => `${e.player} climbs on the last barrel.`,
  overtake: (e) => `${e.player} overtakes ${e.overtaken}, who loses ${points(e.points)}.`,
};

export const tell = (entry) => (SENTENCES[entry.event] ? SENTENCES[entry.event](entry) : entry.event);
