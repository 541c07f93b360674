import "./setup.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Readiness, useReadiness } from "../../api/readiness.ts";
import { ButtonLink } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { inForce, usePolicies } from "../../forms/policy.ts";
import { useProgram } from "../../session.tsx";
import { settingsAddress } from "../../url.ts";
import { UnknownCodes } from "../partners/unknown-codes.tsx";
import { CopyInstructions } from "./copy-instructions.tsx";
import { usePartners } from "./queries.ts";
import { StateBadge } from "./state-badge.tsx";
import { Step } from "./step.tsx";
import { setupSteps } from "./steps.tsx";

const Reconciliation = lazy(() => import("./reconciliation.tsx"), null);
const ServiceTest = lazy(() => import("./service-test.tsx"), null);

export default function Setup(): JSX.Element {
  const { program, isArchived } = useProgram();
  const readiness = useReadiness();
  return (
    <>
      <header class="page-head spread">
        <div class="row setup-title">
          <h1>Setup</h1>
          {!isArchived && readiness.data && <StateBadge state={readiness.data.state} />}
        </div>
        {!isArchived && <CopyInstructions />}
      </header>
      {isArchived ? (
        <Empty title="Nothing to set up">
          Archived programs don't record anything. Restore the program to continue setup.
        </Empty>
      ) : (
        <Loaded query={readiness} skeleton={<SetupSkeleton />}>
          {(verdict) => (
            <div class="setup">
              {verdict.state === "live_verified" && (
                <Notice look="good">
                  <div class="row spread">
                    <p>You're live. Real sales are attributed to your partners.</p>
                    <ButtonLink href={settingsAddress(program.id, "integration")}>
                      Go to Settings › Integration
                    </ButtonLink>
                  </div>
                </Notice>
              )}
              <WithSettings readiness={verdict} />
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

const SetupSkeleton = (): JSX.Element => (
  <div class="stack">
    {[1, 2, 3, 4, 5].map((step) => (
      <div key={step} class="card">
        <Skeleton lines={1} />
      </div>
    ))}
  </div>
);

/** Loads all settings before the steps are shown, since they decide which step opens first. */
function WithSettings({ readiness }: { readonly readiness: Readiness }): JSX.Element {
  const program = useProgram();
  const partners = usePartners();
  const policies = usePolicies({ limit: "1" });
  return (
    <Loaded query={partners} skeleton={<SetupSkeleton />}>
      {(list) => (
        <Loaded query={policies} skeleton={<SetupSkeleton />}>
          {({ meta }) => (
            <>
              <Steps
                mayEdit={program.may("admin")}
                steps={setupSteps({ program, readiness, partners: list, policy: inForce(meta.current) })}
              />
              <UnknownCodes />
              <Reconciliation last={readiness.last_reconciliation} />
              {program.may("admin") && <ServiceTest />}
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface StepsProps {
  readonly steps: ReturnType<typeof setupSteps>;
  readonly mayEdit: boolean;
}

/** Steps open one at a time. A step completed by an event stays open, since the reader may not be finished with it. */
function Steps({ steps, mayEdit }: StepsProps): JSX.Element {
  const [open, setOpen] = useState(() => steps.find(({ isDone }) => !isDone)?.id);
  const advance = (from: string) => {
    const isAhead = (at: number) => at > steps.findIndex(({ id }) => id === from);
    const waiting = steps.filter(({ id, isDone }) => !isDone && id !== from);
    setOpen((waiting.find((step) => isAhead(steps.indexOf(step))) ?? waiting[0])?.id);
  };
  return (
    <ol class="stack">
      {steps.map(({ id, content, ...step }) => (
        <Step key={id} {...step} isOpen={id === open} mayEdit={mayEdit} onOpen={() => setOpen(id)}>
          {content(() => advance(id))}
        </Step>
      ))}
    </ol>
  );
}
