import { noUnits, type Units } from "#domain/units.ts";

let units = noUnits;

/** The units of the program whose amounts were read last. */
export const knownUnits = (): Units => units;

export const setKnownUnits = (known: Units): void => {
  units = known;
};
