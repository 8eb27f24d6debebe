deepLinking: true,
showExtensions: true,
showCommonExtensions: true,
// The dialog for the key lists its scopes, which the viewer would leave out.
plugins: [({ React: { createElement: element } }) => ({
    wrapComponents: {
        apiKeyAuth: (Key) => (properties) => {
            const scopes = properties.schema.get("x-scopes").entrySeq();
            const scope = ([name, use]) =>
                element("p", { key: name }, element("code", null, name), ": ", use);
            return element("div", null, element(Key, properties), scopes.map(scope));
        },
    },
})],
