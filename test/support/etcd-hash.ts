/** Maintenance.HashKV of a server of etcd's API: etcd3's method for it calls one that does not exist. */
import { decode } from '../../runtimes/etcd-server/message.ts'
import { hashResponse } from '../../runtimes/etcd-server/messages.ts'
import { nodeClock } from '../../runtimes/node/clock.ts'
import { createChannel } from '../../runtimes/wire/client/channel.ts'

export async function hashOf(url: string) {
  const channel = createChannel(url, {}, nodeClock)
  try {
    return decode(hashResponse, await channel.call('/etcdserverpb.Maintenance/HashKV', new Uint8Array(0), nodeClock.monotonic() + 20_000))
  } finally {
    channel.close()
  }
}
