import { useEffect, useState } from "preact/hooks";

/** A value that several parts of the page show. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  watch(listener: (value: T) => void): () => void;
}

export function store<T>(value: T): Store<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener(value);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(source: Store<T>): T {
  const [value, setValue] = useState(source.get);
  useEffect(() => {
    setValue(source.get);
    return source.watch((next) => setValue(() => next));
  }, [source]);
  return value;
}
