import type { FunctionComponent, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { setHeaders } from "../../api/client.ts";
import { errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { DialogNotice } from "../../components/dialog.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { forgetLinkToken } from "../../link-token.ts";
import { useProgram } from "../../session.tsx";
import { affectedBy } from "./affected.ts";
import { AffectedRows } from "./affected-rows.tsx";
import type { ChangeProps } from "./change-props.ts";
import { type Proposal, pageOf, programOfProposal, useProposal } from "./use-proposal.ts";

/** The change that the tab's link proposes, if it is for the page's program. */
export default function Proposed({ token }: { readonly token: string }): JSX.Element | null {
  const { program } = useProgram();
  return programOfProposal(token) === program.id ? <OfToken token={token} /> : null;
}

const ProposedCommissions = lazy(() => import("./commissions.tsx"), null);

const changes: Readonly<Record<Proposal["action"], FunctionComponent<ChangeProps>>> = {
  approve: ProposedCommissions,
  reject: ProposedCommissions,
  hold: ProposedCommissions,
  policy: lazy(() => import("./policy.tsx"), null),
  group: lazy(() => import("./group.tsx"), null),
  adjustment: lazy(() => import("./adjustment.tsx"), null),
  application: lazy(() => import("./application.tsx"), null),
};

/** While `linked`, the dialog is open on the page that the proposal's link led to, and on no other. */
type State = "linked" | "open" | "closed" | "done" | "dismissed";

function OfToken({ token }: { readonly token: string }): JSX.Element | null {
  const { program } = useProgram();
  const { data: proposal, failure } = useProposal(program.id, token);
  const [state, setState] = useState<State>("linked");
  const { path } = useLocation();
  const [endedOn, setEndedOn] = useState<string>();
  const end = (ended: State) => {
    forgetLinkToken("proposal");
    setState(ended);
    setEndedOn(path);
  };
  const dismiss = <Button onClick={() => end("dismissed")}>Dismiss</Button>;
  // The outcome stays until the member goes to another page.
  if (state === "dismissed" || (endedOn !== undefined && endedOn !== path)) return null;
  if (proposal === undefined) {
    return failure === undefined || failure.isOutage ? null : (
      <Notice look="bad">
        <div class="program-banner">
          <p>{errorMessage(failure)}</p>
          {dismiss}
        </div>
      </Notice>
    );
  }
  const Change = changes[proposal.action];
  const [itsPath] = pageOf(program.id, proposal).split("?");
  return (
    <>
      {state !== "done" && (
        <Notice look="plain">
          <div class="program-banner">
            <Words of={proposal} />
            <div class="row">
              {(Change !== ProposedCommissions || affectedBy(proposal).commissions.length > 0) && (
                <Button look="primary" onClick={() => setState("open")}>
                  Review…
                </Button>
              )}
              {dismiss}
            </div>
          </div>
        </Notice>
      )}
      <DialogNotice.Provider
        value={
          <>
            <WithProposal token={token} />
            <Notice look="plain">
              <Words of={proposal} />
            </Notice>
          </>
        }
      >
        <Change
          of={proposal}
          isOpen={state === "open" || (state === "linked" && path === itsPath)}
          onClose={() => setState("closed")}
          onDone={() => end("done")}
        />
      </DialogNotice.Provider>
    </>
  );
}

let openDialogs = 0;

/**
 * While a dialog is open, sends the proposal with every call. The dialog is modal, so only the dialog, or a
 * confirmation within it, can make a change.
 */
function WithProposal({ token }: { readonly token: string }): null {
  useEffect(() => {
    openDialogs += 1;
    // The service records the key with the change.
    setHeaders({ "x-proposal": token });
    return () => {
      openDialogs -= 1;
      if (openDialogs === 0) setHeaders(undefined);
    };
  }, [token]);
  return null;
}

/** The reason isn't trusted: an assistant may have written it under the influence of other people's text. */
const Words = ({ of }: { readonly of: Proposal }): JSX.Element => (
  <div class="breakable">
    <p>
      Proposed by <bdi>{of.keyName}</bdi>:{" "}
      <q>
        <bdi>{of.reason}</bdi>
      </q>
    </p>
    <ul>
      {of.effects.map(({ text }) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
    <AffectedRows of={of} />
  </div>
);
