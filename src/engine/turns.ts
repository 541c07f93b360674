export function* limited<T>(source: Generator<T>, count: number): Generator<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const { done, value } = source.next();
    if (done === true) return;
    yield value;
  }
}

export function* roundRobin<T>(sources: readonly Generator<T>[]): Generator<T> {
  let left = sources;
  while (left.length > 0) {
    const going: Generator<T>[] = [];
    for (const source of left) {
      const { done, value } = source.next();
      if (done === true) continue;
      going.push(source);
      yield value;
    }
    left = going;
  }
}
