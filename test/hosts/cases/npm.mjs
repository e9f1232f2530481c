// npm: the example of the README, on the Node that runs this.
import * as Host from "../Host.mjs"

export const run = (context) => Host.shared(context).embeds()
