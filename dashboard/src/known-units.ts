import { noUnits, type Units } from "#domain/units.ts";

let units = noUnits;

/** Loads units. The embedded referral page replaces this function to send its token. */
export const unitCalls = { read: (address: string): Promise<Response> => fetch(address) };

/** The units of the program whose amounts were loaded last. */
export const knownUnits = (): Units => units;

export const setKnownUnits = (known: Units): void => {
  units = known;
};
