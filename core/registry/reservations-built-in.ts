/** Reservations by the name that definitions give. */
import type { ReservationName } from '../resources/definition.ts'
import { createServiceAddresses, type ServiceAddressesOptions } from './allocators/service-addresses.ts'
import type { Reservations } from './reservations.ts'
import type { ServedResource } from './served.ts'

/** What all of them are made from; `resource` finds a resource whether it is served or not. */
export interface ReservationOptions extends Omit<ServiceAddressesOptions, 'services' | 'endpoints' | 'ipAddresses' | 'serviceCidrs'> {
  resource(group: string, plural: string): ServedResource
}

const makers: { readonly [name in ReservationName]: (options: ReservationOptions) => Reservations } = {
  serviceAddresses: ({ resource, ...options }) =>
    createServiceAddresses({
      ...options,
      services: resource('', 'services'),
      endpoints: resource('', 'endpoints'),
      ipAddresses: resource(options.platform.name('networking.<domain>'), 'ipaddresses'),
      serviceCidrs: resource(options.platform.name('networking.<domain>'), 'servicecidrs'),
    }),
}

/** Makes each one when it is first asked for. */
export function builtInReservations(options: ReservationOptions): (name: ReservationName) => Reservations {
  const made = new Map<ReservationName, Reservations>()
  return (name) => {
    let reservations = made.get(name)
    if (reservations === undefined) {
      reservations = makers[name](options)
      made.set(name, reservations)
    }
    return reservations
  }
}
