// Mail about what happens to eSIMs, by events in the process: no webhook and no endpoint. Every event reaches the mailer at
// least once, also what happened while no process was running.

/** Registers the mailer. `send` throws where the mail cannot be sent now; it is then called again later. */
export const register = (simplan, send) =>
  simplan.on("subscription.created", { name: "mailer" }, async (event, { signal }) => {
    // A mail service that knows the key sends no mail twice.
    await send(
      { key: event.eventId, subject: "Your eSIM is ready", text: `Its number is ${event.data.esim}` },
      { signal }
    )
  })
