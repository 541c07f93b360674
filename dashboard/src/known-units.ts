import { noUnits, type Units } from "#domain/units.ts";

let units = noUnits;

/** How units are read. The page in a product's frame reads them with its token. */
export const unitCalls = { read: (address: string): Promise<Response> => fetch(address) };

/** The units of the program whose amounts were read last. */
export const knownUnits = (): Units => units;

export const setKnownUnits = (known: Units): void => {
  units = known;
};
