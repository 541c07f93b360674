import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import type { Explanation } from "../../api/types.ts";
import { namedByCode } from "../../named-by-code.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { partnersIn } from "./partners-in.ts";

interface Read {
  readonly reading: Promise<string | undefined>;
  name?: string | undefined;
}

/** Names by program and code. A page shows the same partner several times, but reads the name only once. */
const names = new Map<string, Read>();
const keptMs = 60_000;

async function nameOf(param: { readonly programId: string }, code: string): Promise<string | undefined> {
  const { data } = await take(api.programs[":programId"].partners.$get({ param, query: { search: code } }));
  return data.find((each) => each.code === code)?.name;
}

function readName(param: { readonly programId: string }, code: string): Read {
  const key = `${param.programId} ${code}`;
  const known = names.get(key);
  if (known !== undefined) return known;
  // If the name can't be read, the sentence shows the code.
  const read: Read = { reading: nameOf(param, code).catch(() => undefined) };
  void read.reading.then((name) => {
    read.name = name;
  });
  names.set(key, read);
  setTimeout(() => names.delete(key), keptMs);
  return read;
}

function usePartnerName(code: string): string | undefined {
  const param = paramOf(useProgram().program);
  const [name, setName] = useState(() => readName(param, code).name);
  useEffect(() => {
    void readName(param, code).reading.then(setName);
  }, [param.programId, code]);
  return name;
}

interface PartnerOfCodeProps {
  readonly code: string;
  /** Shown until the name is read. */
  readonly meanwhile?: string;
}

/** A partner's name once it is read, and until then the code: an explanation has only codes. */
export function PartnerOfCode({ code, meanwhile = `Partner ${code}` }: PartnerOfCodeProps): JSX.Element {
  const name = usePartnerName(code);
  return <bdi>{name === undefined ? meanwhile : namedByCode({ name, partnerCode: code })}</bdi>;
}

/** The codes of the partners in an explanation. */
const codesIn = ({ verdict, candidates, coupons, events, commission }: Explanation): readonly string[] => {
  const others = [candidates, coupons, events, commission?.entries ?? []].flat();
  return [verdict, ...others].flatMap((each) => ("partnerCode" in each && each.partnerCode) || []);
};

interface WithNamesProps {
  readonly text: string | undefined;
  readonly of: Explanation;
}

/** A sentence with the names of partners in place of their codes. */
export const WithNames = ({ text = "", of }: WithNamesProps): JSX.Element => (
  <>
    {partnersIn(text, codesIn(of)).map((part, i) =>
      i % 2 === 0 ? part : <PartnerOfCode key={i} code={part.slice("partner ".length)} meanwhile={part} />,
    )}
  </>
);
