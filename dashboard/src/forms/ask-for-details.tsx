import type { JSX } from "preact";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../components/button.tsx";
import { paramOf, useProgram, useSignUpMode } from "../session.tsx";
import { MailOutcomes } from "./mail-outcomes.tsx";

const maxAtOnce = 1_000;

interface AskForDetailsProps {
  /** Partners without payment details. */
  readonly partnerIds: readonly number[];
  readonly label: string;
}

/** A button that mails partners a request for their payment details. Nothing where the service sends no mail. */
export function AskForDetails(props: AskForDetailsProps): JSX.Element | null {
  const { data: mode } = useSignUpMode();
  return mode?.sendsMail === true ? <AskByMail {...props} /> : null;
}

/** The button of `AskForDetails`, for pages that know that the service sends mail. */
export function AskByMail({ partnerIds, label }: AskForDetailsProps): JSX.Element | null {
  const { program, mayChange } = useProgram();
  const ask = useAction(async () => {
    const param = paramOf(program);
    const requests = api.programs[":programId"].partners["payment-details-requests"];
    const json = { partnerIds: partnerIds.slice(0, maxAtOnce) };
    return (await take(requests.$post({ param, json }))).data.outcomes;
  });
  if (!mayChange("admin")) return null;
  return (
    <>
      <Button isPending={ask.isPending} onClick={() => void ask.run(undefined)}>
        {label}
      </Button>
      {ask.result !== undefined && <MailOutcomes outcomes={ask.result} />}
    </>
  );
}
