/** True if nobody can read data in transit to this address: it is https, or on this machine. */
export const isSecure = ({ origin }: URL): boolean =>
  /^https:|\/\/((.+\.)?localhost|127[.\d]+|\[::1])(:\d+)?$/.test(origin);
