// What the odds of a game come to, as a sentence with its number in the page's language.

import { number, t, tn } from "./words.js";

const share = (value) => number(value, { style: "percent", maximumFractionDigits: 1 });
// As it is told: by that goes the form of what is counted.
const mean = (value) => [Math.round(100 * value) / 100, { n: number(value, { maximumFractionDigits: 2 }) }];

const SENTENCES = {
  expectation_stake_returned: (value) => (value < 0 ? tn("The bank keeps {n} chip of each chip staked.", "The bank keeps {n} chips of each chip staked.", ...mean(-value)) : tn("The thrower gains {n} chip for each chip staked.", "The thrower gains {n} chips for each chip staked.", ...mean(value))),
  expectation_stake_kept: (value) => SENTENCES.expectation_stake_returned(value),
  p_win: (value) => t("The thrower wins {share} of the turns.", { share: share(value) }),
  p_bank_broken_early: (value) => t("Three throwers with full stakes break the bank early in {share} of the games.", { share: share(value) }),
  best_p_25_or_more: (value) => t("25 or more can be reached in {share} of the turns.", { share: share(value) }),
  best_mean_own_loss: (value) => tn("Who plays safe loses {n} life point a turn.", "Who plays safe loses {n} life points a turn.", ...mean(value)),
  attack_mean_dice_kept: (value) => tn("An attack hits {n} time on average.", "An attack hits {n} times on average.", ...mean(value)),
  attack_again_mean_dice_kept: (value) => tn("An attack hits {n} time on average.", "An attack hits {n} times on average.", ...mean(value)),
  p_421_in_three_throws: (value) => t("Three throws can bring 421 with {share}.", { share: share(value) }),
  best_turn_mean: (value) => tn("A turn can bring {n} point on average.", "A turn can bring {n} points on average.", ...mean(value)),
  best_p_entry: (value) => t("The points to come in are within reach in {share} of the turns.", { share: share(value) }),
  throw_on_below_2_dice: (value) => tn("With two dice left it pays to stop from {n} point on.", "With two dice left it pays to stop from {n} points on.", ...mean(value)),
  dry_charge_mean_coups_4_players: (value) => tn("Four players empty the pot in {n} coup on average.", "Four players empty the pot in {n} coups on average.", ...mean(value)),
  best_mean_fiches_in_one_throw: (value) => tn("A hand of the charge can be worth {n} fiche on average.", "A hand of the charge can be worth {n} fiches on average.", ...mean(value)),
  best_mean_fiches_in_two_throws: (value) => SENTENCES.best_mean_fiches_in_one_throw(value),
  best_mean_fiches_in_three_throws: (value) => SENTENCES.best_mean_fiches_in_one_throw(value),
};

// The sentences of an answer of /api/odds/GAME; a figure without words here is left out, as is one of so many players
// where as many do not play.
export const figures = (odds, players = null) => odds.means.filter(({ figure }) => SENTENCES[figure] && (players === 4 || !figure.endsWith("_4_players"))).map((said) => SENTENCES[said.figure](said.value));
