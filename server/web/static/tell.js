// One sentence for each entry of a game's log.

import { list, row, t, tn } from "./words.js";

const points = (n) => tn("{n} point", "{n} points", n);

const SENTENCES = {
  game: (e) => t("Game {game}: {banker} keeps the bank, {first} begins.", e),
  bet: (e) => tn("{player} stakes {n} chip.", "{player} stakes {n} chips.", e.chips, e),
  call: (e) => t("{player} names the {face}.", e),
  number: (e) => t("{player}’s number is the {face}, credited with {count}.", e),
  throw: (e) => {
    if (e.combination) return tn("{player}, throw {throw}: {combination}, worth {n} fiche.", "{player}, throw {throw}: {combination}, worth {n} fiches.", e.fiches, e);
    if (!e.dice) return t("{player}, throw {throw}: {hits}, {total} in all.", e);
    const dice = row(e.dice);
    return e.points ? tn("{player} throws {dice}: {n} point lies there.", "{player} throws {dice}: {n} points lie there.", e.points, { ...e, dice }) : t("{player} throws {dice}: nothing scores.", { ...e, dice });
  },
  win: (e) => {
    if (e.by) return e.by === "five_ones" ? t("{player} wins with five ones.", e) : t("{player} wins with {score}.", e);
    if (e.paid < e.due) return t("{player} wins with {total} at {odds} to 1; the bank has only {paid} of the {due} due.", e);
    return tn("{player} wins with {total} at {odds} to 1 and takes {n} chip.", "{player} wins with {total} at {odds} to 1 and takes {n} chips.", e.paid, e);
  },
  lose: (e) => tn("{player} loses the stake of {n} chip with {total}.", "{player} loses the stake of {n} chips with {total}.", e.stake, e),
  out_of_chips: (e) => t("{player} has no chips left.", e),
  bank_broken: (e) => t("The bank of {banker} is broken; {next} begins the next game.", e),
  game_end: (e) => (e.complete ? t("Game {game} ends.", e) : t("Game {game} ends early.", e)),
  keep: (e) => (e.turn_points === undefined
    ? t("{player} sets aside {dice}.", { ...e, dice: row(e.dice) || "–" })
    : tn("{player} sets aside {dice}: {n} point in this turn.", "{player} sets aside {dice}: {n} points in this turn.", e.turn_points, { ...e, dice: row(e.dice) })),
  sum: (e) => t("{player} has a sum of {sum}.", e),
  loss: (e) => t("{player} loses {points}, {life} left.", { ...e, points: points(e.points) }),
  attack: (e) => t("{player} attacks with the {face}.", e),
  attack_throw: (e) => (e.hits === 0 ? t("{player} hits nothing.", e) : tn("{player} hits {n} time.", "{player} hits {n} times.", e.hits, e)),
  attack_total: (e) => t("The attack is worth {points}.", { points: points(e.points) }),
  damage: (e) => t("{player} loses {points} to {by}, {life} left.", { ...e, points: points(e.points) }),
  out: (e) => t("{player} is out.", e),
  manche: (e) => tn("Manche {manche}: {n} fiche in the pot, {leader} leads.", "Manche {manche}: {n} fiches in the pot, {leader} leads.", e.pot, e),
  cow_tail: (e) => tn("Cow tail: {player} takes {n} fiche from the new pot.", "Cow tail: {player} takes {n} fiches from the new pot.", e.fiches, e),
  le_bon: (e) => t("{player}: “le bon”.", e),
  rampeau: (e) => t("Rampeau between {players}.", { players: list(e.players) }),
  rampeau_throw: (e) => t("{player} throws {combination} in the rampeau.", e),
  take: (e) => (e.winner
    ? tn("{player} takes {n} fiche; {winner} was best with {combination}.", "{player} takes {n} fiches; {winner} was best with {combination}.", e.fiches, e)
    : tn("{player} takes {n} fiche.", "{player} takes {n} fiches.", e.fiches, e)),
  give: (e) => tn("{player} gives {n} fiche to {to} with {combination}.", "{player} gives {n} fiches to {to} with {combination}.", e.fiches, e),
  withdraw: (e) => t("{player} is safe.", e),
  opener: (e) => t("{player} opens.", e),
  manche_lost: (e) => t("{player} loses manche {manche}.", e),
  second_try: (e) => t("{player} may throw again.", e),
  dump_truck: (e) => t("Dump truck: {player} goes to zero.", e),
  bust: (e) => t("{player} goes too far and writes nothing.", e),
  bust_zero: (e) => t("{player} has gone too far too often: back to zero.", e),
  bust_fine: (e) => t("{player} pays {points} for going too far.", { ...e, points: points(e.points) }),
  lost: (e) => (e.points ? t("{player} loses the turn and its {points}.", { ...e, points: points(e.points) }) : t("{player} loses the turn.", e)),
  bolt: (e) => t("A bolt for {player}, number {bolts}.", e),
  bolt_fine: (e) => t("{player} pays {points} for the bolts.", { ...e, points: points(e.points) }),
  attempt: (e) => t("{player}: attempt {attempts} on the barrel failed.", e),
  fall: (e) => t("{player} falls off the barrel to {score}.", e),
  bank: (e) => t("{player} writes {points}: {score}.", { ...e, points: points(e.points) }),
  enter: (e) => t("{player} is in.", e),
  final_barrel: (e) => t("{player} climbs on the last barrel.", e),
  overtake: (e) => t("{player} overtakes {overtaken}, who loses {points}.", { ...e, points: points(e.points) }),
};

export const tell = (entry) => (SENTENCES[entry.event] ? SENTENCES[entry.event](entry) : entry.event);

