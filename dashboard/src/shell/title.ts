import { useEffect } from "preact/hooks";

export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, "Tributary"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
