import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useUpdateProgram } from "../api/update-program.ts";
import { Button } from "../components/button.tsx";
import { lazy } from "../components/lazy.tsx";
import { Notice } from "../components/notice.tsx";
import { Instant } from "../components/time.tsx";
import { useProgram } from "../session.tsx";

const RestoreProgram = lazy(() => import("./restore-program.tsx"), null);

/** Explains what doesn't work while the program is paused or archived. */
export default function StatusBanner(): JSX.Element {
  const { archivedAt } = useProgram().program;
  return archivedAt === null ? <Paused /> : <Archived at={archivedAt} />;
}

function Paused(): JSX.Element {
  const { may } = useProgram();
  const resume = useUpdateProgram(() => ({ status: "active" as const }), {
    failsIn: "toast",
    done: "The program is active.",
    onDone: () => {},
  });
  return (
    <Notice look="warn">
      <div class="program-banner">
        <p>
          <strong>Paused.</strong> Clicks aren't counted, and new sales earn nothing.
        </p>
        {may("admin") && (
          <Button isPending={resume.isPending} onClick={() => resume.run(undefined)}>
            Resume program
          </Button>
        )}
      </div>
    </Notice>
  );
}

function Archived({ at }: { readonly at: string }): JSX.Element {
  const { may } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Notice look="warn">
        <div class="program-banner">
          <p>
            <strong>Archived</strong> on <Instant at={at} />. API keys and links don't work, and nothing is recorded.
            You can still approve commissions and pay partners.
            {!may("owner") && " Ask an owner of the workspace to restore the program."}
          </p>
          {may("owner") && <Button onClick={() => setIsAsking(true)}>Restore program</Button>}
        </div>
      </Notice>
      {isAsking && <RestoreProgram onClose={() => setIsAsking(false)} />}
    </>
  );
}
