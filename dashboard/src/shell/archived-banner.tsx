import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { lazy } from "../components/lazy.tsx";
import { Notice } from "../components/notice.tsx";
import { Instant } from "../components/time.tsx";
import { useProgram } from "../session.tsx";

const RestoreProgram = lazy(() => import("../pages/restore-program.tsx"), null);

export function ArchivedBanner(): JSX.Element | null {
  const { program, may } = useProgram();
  const [isAsking, setIsAsking] = useState(false);
  if (program.archivedAt === null) return null;
  return (
    <>
      <Notice look="warn">
        <div class="program-banner">
          <p>
            <strong>Archived</strong> on <Instant at={program.archivedAt} />. API keys and links don't work, and nothing
            is recorded. You can still approve commissions and pay partners.
            {!may("owner") && " Ask an owner of the workspace to restore the program."}
          </p>
          {may("owner") && <Button onClick={() => setIsAsking(true)}>Restore program</Button>}
        </div>
      </Notice>
      {isAsking && <RestoreProgram onClose={() => setIsAsking(false)} />}
    </>
  );
}
