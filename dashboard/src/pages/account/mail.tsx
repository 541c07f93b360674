import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { pluralize } from "../../format.ts";
import { MailProblem, mailKey, useAllMail } from "../settings/mail.tsx";

/** The emails about open tasks of all programs. */
export function Mail(): JSX.Element {
  const mail = useAllMail();
  const set = useAction((all: "by_role" | "off") => take(api.notifications.$put({ json: { all } })), {
    done: "Saved.",
    refreshes: [mailKey, "program "],
  });
  return (
    <section class="account-section">
      <h2>Mail</h2>
      <Loaded query={mail} skeleton={<Skeleton lines={3} />}>
        {({ all, chosen, state }) => {
          const isOff = all === "off";
          return (
            <>
              <MailProblem state={state} />
              <p class="soft">
                {isOff
                  ? "You get no emails about open tasks."
                  : "You get at most one email a day about open tasks of the programs that you own."}
                {chosen > 0 && ` For ${pluralize(chosen, "program")}, you have chosen your emails.`} Choose them on the
                page Settings, Mail of each program.
              </p>
              <div class="row">
                {(!isOff || chosen > 0) && (
                  <Button isPending={set.isPending} onClick={() => set.run("off")}>
                    Stop all of these emails
                  </Button>
                )}
                {(isOff || chosen > 0) && (
                  <Button isPending={set.isPending} onClick={() => set.run("by_role")}>
                    Use daily emails for programs that you own
                  </Button>
                )}
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
